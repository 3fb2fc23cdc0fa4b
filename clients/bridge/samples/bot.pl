# A bot in Perl: plays any of its legal moves. Run it with `referee match "perl bot.pl" random`.
use strict;
use warnings;
use JSON::PP;

$| = 1;    # Flush each line.
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    next if $message->{type} ne 'turn';
    my @moves = @{ $message->{legal_moves} };
    print encode_json({ id => $message->{id}, move => $moves[ rand @moves ] }), "\n";    # Your strategy goes here.
}
