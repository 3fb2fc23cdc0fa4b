"""A bot as everybody may see it: what the book says, and whether it is there."""

from referee_api.v1 import bot_pb2

from referee.app.accounts import Bot
from referee.app.referee import Referee
from referee.transport.convert.accounts import bot_of


def told(referee: Referee, bot: Bot) -> bot_pb2.Bot:
    sessions = referee.sessions
    return bot_of(bot, sessions.of_bot(bot.name), sessions.since_ms(bot.name), referee.in_play_of(bot.name))
