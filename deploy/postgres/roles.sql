-- Creates the roles for compose-cluster.yaml, by psql, with passwords from files. Elsewhere use `createuser --pwprompt`.
\set owner_password `cat /run/secrets/owner-password`
\set node_password `cat /run/secrets/database-password`

CREATE ROLE referee_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE referee_node LOGIN PASSWORD :'node_password';
