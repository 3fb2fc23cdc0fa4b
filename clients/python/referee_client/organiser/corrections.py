"""What staff decide about a finished match."""

from typing import Literal, TypeAlias

from referee_api.v1 import contest_pb2

CorrectionKind: TypeAlias = Literal["struck", "corrected", "restored"]

KINDS: dict[CorrectionKind, contest_pb2.CorrectionKind.ValueType] = {
    "struck": contest_pb2.CORRECTION_KIND_STRUCK,
    "corrected": contest_pb2.CORRECTION_KIND_CORRECTED,
    "restored": contest_pb2.CORRECTION_KIND_RESTORED,
}
