"""The games of OpenSpiel that can be played, how they are loaded, and why the others are excluded.

What OpenSpiel says itself (number of moves, chance, what a seat sees) is not repeated here. A listing adds what it does
not say: values of its parameters that a stranger may choose, partners, and which moves the other seats do not see.
Parameters that are no option have the value of `fixed`, or OpenSpiel's default.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from engines.openspiel.secret_moves import (
    Secret,
    discarded_skat,
    everything,
    in_phase,
    matching,
    nothing,
    passed_hearts,
)
from engines.options import Choice, Count, Flag, Option

Sides: TypeAlias = tuple[tuple[int, ...], ...]

PARTNERS: Final[Sides] = ((0, 2), (1, 3))


@dataclass(frozen=True)
class Listing:
    """How a game is loaded, and what OpenSpiel does not say about it."""

    options: tuple[Option, ...] = ()
    """Parameters of OpenSpiel that can be chosen, by their names there."""
    fixed: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    seats: int = 2
    """Number of seats, unless there is an option `players`."""
    sides: Sides | None = None
    """None: each seat is a side."""
    secret: Secret = nothing
    """Whether a move is hidden from the other seats. Only asked in games that hide something."""
    prefix: str = ""
    """Regular expression of what is removed from the beginning of OpenSpiel's text of a move."""
    version: int = 1


def _players(most: int, default: int = 2, least: int = 2) -> Count:
    return Count("players", default, "How many play.", least=least, most=most)


def _size(default: int, least: int, most: int, name: str = "board_size", what: str = "Size of the board.") -> Count:
    return Count(name, default, what, least=least, most=most)


_BID: Final = r"\[P\d\]Bid: "
_STONE: Final = "[BW] "
_PLAYER: Final = r"p\d:"

LISTED: Final[Mapping[str, Listing]] = {
    "amazons": Listing((Choice("board_size", "10", "Size of the board.", choices=("10", "8", "6")),)),
    "antichess": Listing(),
    "backgammon": Listing(
        (
            Choice(
                "scoring_type",
                "winloss_scoring",
                "Whether gammons count double, and backgammons three times.",
                choices=("winloss_scoring", "enable_gammons", "full_scoring"),
            ),
            Flag("hyper_backgammon", False, "Whether each side has three checkers only."),
        )
    ),
    "banqi": Listing(),
    "bargaining": Listing(fixed={"max_num_instances": 1000}),
    "battleship": Listing(
        (Flag("allow_repeated_shots", False, "Whether a cell may be shot at again."),),
        fixed={"board_width": 8, "board_height": 8, "ship_sizes": "[2;3;3;4]", "ship_values": "[1.0;1.0;1.0;1.0]"},
        secret=matching("place_ship"),
        prefix=r"Pl\d: ",
    ),
    "blotto": Listing((_players(4), Count("coins", 10, "How many coins each seat has.", least=3, most=12))),
    "breakthrough": Listing(
        (_size(8, 4, 8, "rows", "Number of rows."), _size(8, 4, 8, "columns", "Number of columns."))
    ),
    "bridge": Listing(
        (
            Flag("dealer_vul", False, "Whether the dealer's side is vulnerable."),
            Flag("non_dealer_vul", False, "Whether the other side is vulnerable."),
        ),
        fixed={"use_double_dummy_result": False},
        seats=4,
        sides=PARTNERS,
    ),
    "capture_the_flag": Listing(fixed={"horizon": 200}),
    "checkers": Listing(),
    "chess": Listing(),
    "chinese_checkers": Listing((_players(3),), fixed={"max_moves": 1000}),
    "clobber": Listing((_size(5, 3, 8, "rows", "Number of rows."), _size(6, 3, 8, "columns", "Number of columns."))),
    "coin_game": Listing((_players(4),), secret=everything),
    "connect_four": Listing(),
    "crazy_eights": Listing((_players(7, 5),)),
    "crazyhouse": Listing(),
    "cribbage": Listing(secret=matching("Choose_.+_.+")),
    "cursor_go": Listing((_size(9, 5, 13),)),
    "dark_chess": Listing(secret=everything),
    "dark_hex": Listing(
        (_size(3, 2, 6, "num_cols", "Number of columns."), _size(3, 2, 6, "num_rows", "Number of rows.")),
        fixed={"obstype": "reveal-numturns"},
        secret=everything,
    ),
    "dots_and_boxes": Listing(
        (_size(2, 1, 6, "num_rows", "Number of rows."), _size(2, 1, 6, "num_cols", "Number of columns.")),
        prefix=r"P\d",
    ),
    "dou_dizhu": Listing(seats=3),
    "einstein_wurfelt_nicht": Listing(),
    "euchre": Listing(seats=4, sides=PARTNERS, secret=in_phase("DISCARD")),
    "first_sealed_auction": Listing((_players(6),), secret=everything, prefix=r"Player \d bid: "),
    "gin_rummy": Listing(
        (Flag("oklahoma", False, "Whether the first upcard sets the knock card."),), prefix=r"Player: \d Action: "
    ),
    "go": Listing((_size(9, 5, 19),), prefix=_STONE),
    "go_fish": Listing((_players(6),)),
    "gomoku": Listing((_size(15, 5, 15, "size"),)),
    "goofspiel": Listing(
        (
            _players(5),
            Count("num_cards", 13, "How many cards each seat has.", least=2, most=13),
            Choice(
                "points_order",
                "random",
                "The order of the prizes.",
                choices=("random", "descending", "ascending"),
            ),
        ),
        prefix=_BID,
    ),
    "havannah": Listing((_size(8, 4, 10), Flag("swap", False, "Whether the second seat may swap sides."))),
    "hearts": Listing(
        (Flag("jd_bonus", False, "Whether the jack of diamonds scores."),),
        seats=4,
        secret=passed_hearts,
    ),
    "hex": Listing((_size(11, 3, 13), Flag("swap", False, "Whether the second seat may swap sides."))),
    "kriegspiel": Listing(secret=everything),
    "kuhn_poker": Listing((_players(6),)),
    "laser_tag": Listing(fixed={"horizon": 200}),
    "leduc_poker": Listing((_players(6),)),
    "liars_dice": Listing((Count("numdice", 1, "How many dice each seat has.", least=1, most=5),)),
    "lines_of_action": Listing(),
    "maedn": Listing((_players(4),)),
    "mancala": Listing(),
    "markov_soccer": Listing(fixed={"horizon": 200}),
    "matching_pennies_3p": Listing(seats=3),
    "matrix_bos": Listing(),
    "matrix_brps": Listing(),
    "matrix_cd": Listing(),
    "matrix_mp": Listing(),
    "matrix_pd": Listing(),
    "matrix_rps": Listing(),
    "matrix_rpsw": Listing(),
    "matrix_sh": Listing(),
    "matrix_shapleys_game": Listing(),
    "mnk": Listing(
        (
            _size(15, 3, 15, "m", "Number of columns."),
            _size(15, 3, 15, "n", "Number of rows."),
            Count("k", 5, "How many in a row win.", least=3, most=6),
        )
    ),
    "nim": Listing((Flag("is_misere", True, "Whether the player who takes the last one loses."),)),
    "nine_mens_morris": Listing(),
    "oh_hell": Listing((_players(7, 3, 3),)),
    "oshi_zumo": Listing(
        (Count("coins", 50, "How many coins each seat has.", least=5, most=50),), fixed={"horizon": 200}, prefix=_BID
    ),
    "othello": Listing(),
    "oware": Listing(),
    "pentago": Listing(),
    "phantom_go": Listing((_size(9, 5, 13),), secret=everything, prefix=_STONE),
    "phantom_ttt": Listing(fixed={"obstype": "reveal-numturns"}, secret=everything),
    "pig": Listing((_players(6), Count("winscore", 100, "The score that wins.", least=20, most=100))),
    "rbc": Listing(secret=everything),
    "repeated_leduc_poker": Listing(
        (_players(6), Count("num_hands", 2, "How many hands are played.", least=2, most=20))
    ),
    "sheriff": Listing(secret=matching("(?!Bribe|InspectionFeedback)")),
    "shogi": Listing(),
    "skat": Listing(seats=3, secret=discarded_skat),
    "snake": Listing((Choice("players", "2", "How many play.", choices=("2", "4")),), prefix=_PLAYER),
    "social_deduction": Listing((_players(8, 6, 4),)),
    "spades": Listing(seats=4, sides=PARTNERS),
    "tic_tac_toe": Listing(),
    "tiny_bridge_4p": Listing(seats=4, sides=PARTNERS),
    "twixt": Listing((_size(8, 5, 24),), fixed={"ansi_color_output": False}),
    "ultimate_tic_tac_toe": Listing(),
    "universal_poker": Listing(
        fixed={
            "betting": "nolimit",
            "bettingAbstraction": "fcpa",
            "numPlayers": 2,
            "numSuits": 4,
            "numRanks": 13,
            "numHoleCards": 2,
            "numRounds": 4,
            "numBoardCards": "0 3 1 1",
            "blind": "100 50",
            "firstPlayer": "2 1 1 1",
            "stack": "20000 20000",
        },
        prefix=r"player=\d move=",
    ),
    "xiangqi": Listing(),
    "y": Listing((_size(9, 5, 19),)),
    "yacht": Listing((_players(6),)),
}

_SOLO: Final = "it has one seat"
_COOPERATIVE: Final = "all seats have the same score, so every match is drawn"
_SAMPLED: Final = "its chance is sampled inside OpenSpiel and does not follow from the seed of a match"
_MEAN_FIELD: Final = "it is a mean-field game, whose players are a distribution"
_TRANSFORMED: Final = "it changes another game, which a parameter names"
_FILE: Final = "it reads a file"
_FORGETFUL: Final = "it is another game of the list whose seats forget"

EXCLUDED: Final[Mapping[str, str]] = {
    "2048": _SOLO,
    "add_noise": _TRANSFORMED,
    "blackjack": _SOLO,
    "bridge_uncontested_bidding": _SAMPLED,
    "cached_tree": _TRANSFORMED,
    "catch": _SOLO,
    "cliff_walking": _SOLO,
    "colored_trails": "what the seats see of proposals does not say which moves are public",
    "coop_box_pushing": _COOPERATIVE,
    "coop_to_1p": _TRANSFORMED,
    "coordinated_mp": "the second seat does not know whether it moves first or last, and a referee shows it",
    "crossword": "its moves are structures and have no numbers",
    "dark_hex_ir": _FORGETFUL,
    "deep_sea": _SOLO,
    "efg_game": _FILE,
    "hanabi": _COOPERATIVE,
    "hive": "a long history takes too much time to read",
    "latent_ttt": "which moves are hidden until later depends on the whole history",
    "lewis_signaling": _COOPERATIVE,
    "liars_dice_ir": _FORGETFUL,
    "matrix_coordination": _COOPERATIVE,
    "mfg_crowd_modelling": _MEAN_FIELD,
    "mfg_crowd_modelling_2d": _MEAN_FIELD,
    "mfg_dynamic_routing": _MEAN_FIELD,
    "mfg_garnet": _MEAN_FIELD,
    "misere": _TRANSFORMED,
    "morpion_solitaire": _SOLO,
    "negotiation": _SAMPLED,
    "nfg_game": _FILE,
    "normal_form_extensive_game": _TRANSFORMED,
    "pathfinding": _SOLO,
    "phantom_ttt_ir": _FORGETFUL,
    "quoridor": "OpenSpiel warns of known issues of its implementation",
    "repeated_game": _TRANSFORMED,
    "repeated_poker": "it is made of a game that a parameter names",
    "restricted_nash_response": _TRANSFORMED,
    "solitaire": _SOLO,
    "start_at": _TRANSFORMED,
    "stones_and_gems": _SOLO,
    "tarok": _SAMPLED,
    "tiny_bridge_2p": _COOPERATIVE,
    "tiny_hanabi": _COOPERATIVE,
    "trade_comm": _COOPERATIVE,
    "turn_based_simultaneous_game": _TRANSFORMED,
    "zerosum": _TRANSFORMED,
}
"""Why a game of OpenSpiel is not listed."""
