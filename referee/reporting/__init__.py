"""What a ladder or a tournament has come to, as one page: gathered, added up, drawn."""
