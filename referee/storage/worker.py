"""A thread that answers questions, all that are waiting at once.

While it is busy with some, others gather; they are its next group. So there is one answer a question
when little is asked, and one transaction for hundreds of questions when much is.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Generic, NamedTuple, TypeAlias, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Closed(Exception):
    """A question that came too late."""

    def __init__(self) -> None:
        super().__init__("it is closed")


class _Asked(NamedTuple, Generic[Question, Answer]):
    question: Question
    answer: asyncio.Future[Answer]


_Told: TypeAlias = tuple[asyncio.Future[Answer], Answer | Exception]


class Worker(Generic[Question, Answer]):
    """Answers questions from any number of event loops, in the order in which they came.

    `answer` gets a group and gives for each question an answer, or an exception for who asked it; what
    it raises is raised to all of the group. `at_end` is called in the thread when all is answered.
    """

    def __init__(
        self,
        name: str,
        answer: Callable[[Sequence[Question]], Sequence[Answer | Exception]],
        at_end: Callable[[], None],
    ) -> None:
        self._answer = answer
        self._at_end = at_end
        self._waiting: SimpleQueue[_Asked[Question, Answer] | None] = SimpleQueue()
        self._closed = False
        self._closing = Lock()
        # A daemon: who forgets to close must not find that the process cannot end.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def ask(self, question: Question) -> Answer:
        """The answer. Who is cancelled while waiting does not take the question back. Raises Closed."""
        asked: _Asked[Question, Answer] = _Asked(question, asyncio.get_running_loop().create_future())
        with self._closing:  # Nothing may come after the None that ends the thread.
            if self._closed:
                raise Closed
            self._waiting.put(asked)
        return await asked.answer

    async def close(self) -> None:
        """Answer what has been asked, and end. It does no harm to close twice."""
        with self._closing:
            if not self._closed:
                self._waiting.put(None)
            self._closed = True
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        going = True
        while going:
            group = [self._waiting.get()]
            group += [self._waiting.get_nowait() for _ in range(self._waiting.qsize())]
            going = group[-1] is not None
            self._answer_all([asked for asked in group if asked is not None])
        self._at_end()

    def _answer_all(self, group: list[_Asked[Question, Answer]]) -> None:
        told: defaultdict[asyncio.AbstractEventLoop, list[_Told[Answer]]] = defaultdict(list)
        for asked, answer in zip(group, self._answers(group), strict=True):
            told[asked.answer.get_loop()].append((asked.answer, answer))
        # Once a loop, and not once an answer: to wake a loop costs a system call.
        for loop, answers in told.items():
            with suppress(RuntimeError):  # The loop is closed: nobody waits there any more.
                loop.call_soon_threadsafe(_tell, answers)

    def _answers(self, group: list[_Asked[Question, Answer]]) -> Sequence[Answer | Exception]:
        if not group:
            return ()
        try:
            return self._answer([asked.question for asked in group])
        except Exception as error:
            return [error] * len(group)


def _tell(answers: list[_Told[Answer]]) -> None:
    for future, answer in answers:
        if future.done():  # Who asked was cancelled meanwhile.
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
