"""Values of the contract: what an organiser returns and takes.

They have the fields of the messages with the same names. Enums are words, times are in UTC, and a group of fields of
which a message has one is a single field. A field that the server has not set has the default here; `None` is the
default where it differs from every value. A word that this library does not know yet is its number as text.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee_client.clocks import Clock as Clock
    from referee_client.errors import Refusal as Refusal
    from referee_client.values.accounts import DrainState as DrainState
    from referee_client.values.accounts import HolderQuota as HolderQuota
    from referee_client.values.accounts import Invitation as Invitation
    from referee_client.values.accounts import NewInvitation as NewInvitation
    from referee_client.values.accounts import NewToken as NewToken
    from referee_client.values.accounts import Quota as Quota
    from referee_client.values.accounts import QuotaUsage as QuotaUsage
    from referee_client.values.accounts import Redemption as Redemption
    from referee_client.values.accounts import Role as Role
    from referee_client.values.accounts import Token as Token
    from referee_client.values.bots import BotAccount as BotAccount
    from referee_client.values.bots import BotLogEntry as BotLogEntry
    from referee_client.values.bots import BotLogEvent as BotLogEvent
    from referee_client.values.bots import BotVersion as BotVersion
    from referee_client.values.bots import Consent as Consent
    from referee_client.values.bots import ConsentScope as ConsentScope
    from referee_client.values.bots import Notice as Notice
    from referee_client.values.bots import NoticeKind as NoticeKind
    from referee_client.values.bots import Pause as Pause
    from referee_client.values.bots import PauseCause as PauseCause
    from referee_client.values.bots import Presence as Presence
    from referee_client.values.bots import RejectedItem as RejectedItem
    from referee_client.values.bots import Session as Session
    from referee_client.values.bots import SessionLost as SessionLost
    from referee_client.values.contests import AbsentBoard as AbsentBoard
    from referee_client.values.contests import CorrectionKind as CorrectionKind
    from referee_client.values.contests import DuplicatePlay as DuplicatePlay
    from referee_client.values.contests import Entrant as Entrant
    from referee_client.values.contests import EntrantJoined as EntrantJoined
    from referee_client.values.contests import EntrantLeft as EntrantLeft
    from referee_client.values.contests import MatchCorrection as MatchCorrection
    from referee_client.values.contests import Pairing as Pairing
    from referee_client.values.contests import PairingPhase as PairingPhase
    from referee_client.values.contests import PartnerRule as PartnerRule
    from referee_client.values.entries import ChoiceSealed as ChoiceSealed
    from referee_client.values.entries import DrawDeclined as DrawDeclined
    from referee_client.values.entries import DrawOffered as DrawOffered
    from referee_client.values.entries import Entry as Entry
    from referee_client.values.entries import FlagFell as FlagFell
    from referee_client.values.entries import MatchEvent as MatchEvent
    from referee_client.values.entries import MovePlayed as MovePlayed
    from referee_client.values.entries import MoveRejected as MoveRejected
    from referee_client.values.entries import MoveSource as MoveSource
    from referee_client.values.entries import NonceAdded as NonceAdded
    from referee_client.values.entries import PlayEnded as PlayEnded
    from referee_client.values.entries import PlayStarted as PlayStarted
    from referee_client.values.entries import RefereeRecovered as RefereeRecovered
    from referee_client.values.entries import SeatDisconnected as SeatDisconnected
    from referee_client.values.entries import SeatReconnected as SeatReconnected
    from referee_client.values.entries import SeatResigned as SeatResigned
    from referee_client.values.entries import SeatTaken as SeatTaken
    from referee_client.values.entries import SeatVacated as SeatVacated
    from referee_client.values.games import Game as Game
    from referee_client.values.games import Notation as Notation
    from referee_client.values.games import Opening as Opening
    from referee_client.values.games import PositionReading as PositionReading
    from referee_client.values.games import Preset as Preset
    from referee_client.values.games import Rules as Rules
    from referee_client.values.games import SeatLayout as SeatLayout
    from referee_client.values.games import SeatMove as SeatMove
    from referee_client.values.games import SeatToMove as SeatToMove
    from referee_client.values.games import Side as Side
    from referee_client.values.ladders import Ladder as Ladder
    from referee_client.values.ladders import LadderClosed as LadderClosed
    from referee_client.values.ladders import LadderClosing as LadderClosing
    from referee_client.values.ladders import LadderEntry as LadderEntry
    from referee_client.values.ladders import LadderEvent as LadderEvent
    from referee_client.values.ladders import LadderPaused as LadderPaused
    from referee_client.values.ladders import LadderResumed as LadderResumed
    from referee_client.values.ladders import LadderSnapshot as LadderSnapshot
    from referee_client.values.ladders import LadderStanding as LadderStanding
    from referee_client.values.ladders import LadderTerms as LadderTerms
    from referee_client.values.ladders import MatchRated as MatchRated
    from referee_client.values.ladders import SeasonStarted as SeasonStarted
    from referee_client.values.matches import BotRef as BotRef
    from referee_client.values.matches import Match as Match
    from referee_client.values.matches import MatchPhase as MatchPhase
    from referee_client.values.matches import MatchState as MatchState
    from referee_client.values.matches import MatchTerms as MatchTerms
    from referee_client.values.matches import RecordInfo as RecordInfo
    from referee_client.values.matches import Seat as Seat
    from referee_client.values.matches import SeatNonce as SeatNonce
    from referee_client.values.matches import SeedCommitment as SeedCommitment
    from referee_client.values.matches import Standing as Standing
    from referee_client.values.matches import SubmittedMove as SubmittedMove
    from referee_client.values.policies import Adjudication as Adjudication
    from referee_client.values.policies import DisconnectAction as DisconnectAction
    from referee_client.values.policies import DisconnectPolicy as DisconnectPolicy
    from referee_client.values.policies import ForfeitEffect as ForfeitEffect
    from referee_client.values.policies import IllegalMoveAction as IllegalMoveAction
    from referee_client.values.policies import IllegalMovePolicy as IllegalMovePolicy
    from referee_client.values.policies import Policies as Policies
    from referee_client.values.policies import TimeoutAction as TimeoutAction
    from referee_client.values.policies import Visibility as Visibility
    from referee_client.values.policies import VisibilityKind as VisibilityKind
    from referee_client.values.ratings import EloEstimate as EloEstimate
    from referee_client.values.ratings import Rating as Rating
    from referee_client.values.ratings import RatingChange as RatingChange
    from referee_client.values.ratings import RatingPoint as RatingPoint
    from referee_client.values.results import Ending as Ending
    from referee_client.values.results import Forfeit as Forfeit
    from referee_client.values.results import ForfeitCause as ForfeitCause
    from referee_client.values.results import ForfeitedResult as ForfeitedResult
    from referee_client.values.results import Outcome as Outcome
    from referee_client.values.results import PlayedResult as PlayedResult
    from referee_client.values.results import Result as Result
    from referee_client.values.results import SeatResult as SeatResult
    from referee_client.values.results import SideResult as SideResult
    from referee_client.values.results import VoidCause as VoidCause
    from referee_client.values.results import VoidResult as VoidResult
    from referee_client.values.time_controls import AnyClock as AnyClock
    from referee_client.values.time_controls import Bank as Bank
    from referee_client.values.time_controls import Bronstein as Bronstein
    from referee_client.values.time_controls import CanadianByoYomi as CanadianByoYomi
    from referee_client.values.time_controls import ClockCharge as ClockCharge
    from referee_client.values.time_controls import ClockRule as ClockRule
    from referee_client.values.time_controls import Correspondence as Correspondence
    from referee_client.values.time_controls import Fischer as Fischer
    from referee_client.values.time_controls import Hourglass as Hourglass
    from referee_client.values.time_controls import JapaneseByoYomi as JapaneseByoYomi
    from referee_client.values.time_controls import MovesPerPeriod as MovesPerPeriod
    from referee_client.values.time_controls import NetworkCredit as NetworkCredit
    from referee_client.values.time_controls import Period as Period
    from referee_client.values.time_controls import PerMove as PerMove
    from referee_client.values.time_controls import SeatOdds as SeatOdds
    from referee_client.values.time_controls import SuddenDeath as SuddenDeath
    from referee_client.values.time_controls import TimeControl as TimeControl
    from referee_client.values.time_controls import Untimed as Untimed
    from referee_client.values.time_controls import UsDelay as UsDelay
    from referee_client.values.tournament_entries import ByeRequested as ByeRequested
    from referee_client.values.tournament_entries import EntrantsAbsent as EntrantsAbsent
    from referee_client.values.tournament_entries import PairingPostponed as PairingPostponed
    from referee_client.values.tournament_entries import PairingReopened as PairingReopened
    from referee_client.values.tournament_entries import PairingsPlanned as PairingsPlanned
    from referee_client.values.tournament_entries import PairingsReplaced as PairingsReplaced
    from referee_client.values.tournament_entries import RoundStarted as RoundStarted
    from referee_client.values.tournament_entries import ScoreCorrected as ScoreCorrected
    from referee_client.values.tournament_entries import TournamentEnded as TournamentEnded
    from referee_client.values.tournament_entries import TournamentEntry as TournamentEntry
    from referee_client.values.tournament_entries import TournamentEvent as TournamentEvent
    from referee_client.values.tournament_entries import VersionsFrozen as VersionsFrozen
    from referee_client.values.tournament_terms import Elimination as Elimination
    from referee_client.values.tournament_terms import ForbiddenPair as ForbiddenPair
    from referee_client.values.tournament_terms import Gauntlet as Gauntlet
    from referee_client.values.tournament_terms import Pools as Pools
    from referee_client.values.tournament_terms import Qualification as Qualification
    from referee_client.values.tournament_terms import RoundRobin as RoundRobin
    from referee_client.values.tournament_terms import Seeding as Seeding
    from referee_client.values.tournament_terms import Sprt as Sprt
    from referee_client.values.tournament_terms import SprtModel as SprtModel
    from referee_client.values.tournament_terms import Swiss as Swiss
    from referee_client.values.tournament_terms import TieBreak as TieBreak
    from referee_client.values.tournament_terms import TournamentFormat as TournamentFormat
    from referee_client.values.tournament_terms import TournamentTerms as TournamentTerms
    from referee_client.values.tournaments import ByeKind as ByeKind
    from referee_client.values.tournaments import CrossTableCell as CrossTableCell
    from referee_client.values.tournaments import CrossTableRow as CrossTableRow
    from referee_client.values.tournaments import RequestedBye as RequestedBye
    from referee_client.values.tournaments import SprtState as SprtState
    from referee_client.values.tournaments import SprtVerdict as SprtVerdict
    from referee_client.values.tournaments import TieBreakValue as TieBreakValue
    from referee_client.values.tournaments import Tournament as Tournament
    from referee_client.values.tournaments import TournamentPhase as TournamentPhase
    from referee_client.values.tournaments import TournamentStanding as TournamentStanding
    from referee_client.values.tournaments import TournamentTable as TournamentTable

MODULES = (
    "referee_client.clocks",
    "referee_client.errors",
    "referee_client.values.accounts",
    "referee_client.values.bots",
    "referee_client.values.contests",
    "referee_client.values.entries",
    "referee_client.values.games",
    "referee_client.values.ladders",
    "referee_client.values.matches",
    "referee_client.values.policies",
    "referee_client.values.ratings",
    "referee_client.values.results",
    "referee_client.values.time_controls",
    "referee_client.values.tournament_entries",
    "referee_client.values.tournament_terms",
    "referee_client.values.tournaments",
)
"""Modules of the values. They are imported when a name is first used: a bot needs few of them, and starts sooner."""


def __getattr__(name: str) -> object:
    for module in map(import_module, () if name.startswith("_") else MODULES):
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({name for module in map(import_module, MODULES) for name in vars(module) if not name.startswith("_")})
