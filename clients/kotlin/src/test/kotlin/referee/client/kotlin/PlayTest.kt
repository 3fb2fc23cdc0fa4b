package referee.client.kotlin

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import referee.client.Client
import referee.client.SettingException
import java.net.InetAddress
import java.net.ServerSocket

class PlayTest {
    @Test
    fun `a cancellation ends the play`() = runBlocking {
        ServerSocket(0, 1, InetAddress.getLoopbackAddress()).use { silent ->
            val play = launch {
                Client.builder("localhost:${silent.localPort}", "token").play { it.legalMoves().first() }
            }
            withContext(Dispatchers.IO) { silent.accept() }.use { play.cancelAndJoin() }
            assertTrue(play.isCancelled)
        }
    }

    @Test
    fun `an invalid setting is reported by the call`() {
        val error = assertThrows(SettingException::class.java) {
            runBlocking { Client.builder("no port", "token").play { "" } }
        }
        assertEquals("BOT_REFEREE", error.message!!.substringBefore(' '))
    }
}
