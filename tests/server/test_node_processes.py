"""Reserved ports: processes of one command share them, and no other program gets them."""

import socket
from contextlib import closing
from dataclasses import replace

import pytest

from referee.server.node_processes import PortReservation, PortUnavailable
from referee.server.setting_types import Address

ANY = Address("127.0.0.1", 0)
IN_USE = r"cannot listen on 127\.0\.0\.1:\d+: Address already in use"


def listen(address: Address, *, reuse_port: bool) -> socket.socket:
    return socket.create_server((address.host, address.port), reuse_port=reuse_port)


def test_several_processes_listen_on_a_reserved_port() -> None:
    with closing(PortReservation(ANY)) as reserved:
        assert reserved.address.port
        with listen(reserved.address, reuse_port=True), listen(reserved.address, reuse_port=True):
            socket.create_connection((reserved.address.host, reserved.address.port)).close()


def test_a_reserved_port_can_neither_be_reserved_again_nor_used_alone() -> None:
    with closing(PortReservation(ANY)) as reserved:
        with pytest.raises(PortUnavailable, match=IN_USE):
            PortReservation(reserved.address)
        with pytest.raises(OSError, match="in use"):
            listen(reserved.address, reuse_port=False)


@pytest.mark.parametrize("reuse_port", [False, True])
def test_a_port_on_which_another_program_listens_cannot_be_reserved(reuse_port: bool) -> None:
    with listen(ANY, reuse_port=reuse_port) as server, pytest.raises(PortUnavailable, match=IN_USE):
        PortReservation(replace(ANY, port=server.getsockname()[1]))


def test_a_port_with_connections_of_an_earlier_server_can_be_reserved() -> None:
    with listen(ANY, reuse_port=True) as server:
        where = server.getsockname()
        with socket.create_connection(where) as client:
            server.accept()[0].close()  # It closes first, so its end waits for late packets (TIME_WAIT).
            assert client.recv(1) == b""
    PortReservation(replace(ANY, port=where[1])).close()


def test_an_address_of_another_machine_is_an_error_in_one_sentence() -> None:
    with pytest.raises(PortUnavailable, match=r"cannot listen on 192\.0\.2\.1:7700: Cannot assign requested address"):
        PortReservation(Address("192.0.2.1", 7700))
