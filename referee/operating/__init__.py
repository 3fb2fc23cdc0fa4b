"""What is done to a referee's memory from outside: it is copied, proven, brought forward, archived and examined."""
