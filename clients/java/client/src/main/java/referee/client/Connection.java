package referee.client;

import referee.api.v1.BotItem;

/** What the player uses of a {@link Session}. */
interface Connection {
    void send(BotItem item);

    void setHeartbeatTimeout(long heartbeatTimeoutMs);

    void close();

    void awaitClosed() throws InterruptedException;
}
