"""The courses of a tournament, against a plain dictionary of them."""

import pickle
import random

from referee.contest.courses import PART_SIZE, Courses
from referee.contest.pairing import Course, Pairing, Score

NAMES = "abcdef"


def changed(course: Course, rng: random.Random) -> Course:
    number = len(course.scores) + 1
    return rng.choice(
        [
            course.began(number, course.attempt(number), f"{course.pairing.id} {number}"),
            course.made_void(number),
            course.scored(1, Score((1, 2))),
        ]
    )


def test_courses_are_what_a_dictionary_of_them_would_be(rng: random.Random) -> None:
    plain: dict[str, Course] = {}
    courses = Courses()
    for number in range(1, 6):
        new = [
            Course(Pairing(f"{number}.{board}", number, board, tuple(rng.sample(NAMES, 2))))
            for board in range(1, rng.randint(2, PART_SIZE))
        ]
        plain |= {course.pairing.id: course for course in new}
        courses = courses.planned(new)
        for course in rng.choices(new, k=40):
            after = changed(plain[course.pairing.id], rng)
            plain[course.pairing.id] = after
            courses = courses.changed(after)
        gone = rng.choice(NAMES)
        if rng.random() < 0.5:
            courses = courses.without(gone)
            plain = {
                key: course if course.done or gone not in course.pairing.entrants else course.without(gone)
                for key, course in plain.items()
            }
        for one in (courses, pickle.loads(pickle.dumps(courses))):
            same(one, plain)


def test_a_part_is_pickled_once() -> None:
    [part] = Courses().planned([Course(Pairing("1.1", 1, 1, ("a", "b")))]).parts
    assert part.pickle() is part.pickle()


def same(courses: Courses, plain: dict[str, Course]) -> None:
    still = [course for course in plain.values() if not course.done]
    assert courses == plain
    assert list(courses) == list(plain)
    assert list(courses.values()) == list(plain.values())
    assert "7.1" not in courses
    assert courses.open == still
    assert courses.open_count == len(still)
    assert courses.playing == [due for course in still for due in course.playing]
    assert courses.waiting == [
        due for course in still for due in course.due if (due.number, due.attempt) not in course.match_ids
    ]
    assert courses.last_round == max(course.pairing.round for course in plain.values())
    assert courses.first_open_round == min((course.pairing.round for course in still), default=None)


def test_a_change_leaves_the_other_parts_as_they_were() -> None:
    pairings = [Pairing(f"1.{board}", 1, board, ("a", "b")) for board in range(3 * PART_SIZE)]
    before = Courses().planned(map(Course, pairings))
    after = before.changed(before[pairings[0].id].scored(1, Score((1, 2))))
    assert after.parts[0] is not before.parts[0]
    assert after.parts[1:] == before.parts[1:]
    assert len(before.open) == len(after.open) + 1
