"""`python -m referee` is `referee`."""

from referee.cli import main

if __name__ == "__main__":
    main(prog_name="referee")
