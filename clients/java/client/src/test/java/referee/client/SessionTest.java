package referee.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import referee.api.v1.PlayResponse;
import referee.api.v1.RefereeItem;

class SessionTest {
    private static final Session.Listener IGNORE =
            new Session.Listener() {
                @Override
                public void onItem(RefereeItem item) {}

                @Override
                public void onEnd(Status status, Metadata trailers) {}
            };

    @Test
    void messagesLeaveNoTimersWithTheExecutor() throws ExecutionException, InterruptedException {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        ManagedChannel channel =
                Grpc.newChannelBuilder("127.0.0.1:1", InsecureChannelCredentials.create())
                        .executor(thread)
                        .build();
        int timers = thread.submit(() -> timersAfterManyMessages(channel, thread)).get();
        channel.shutdownNow();
        thread.shutdownNow();
        assertTrue(timers < 100, timers + " tasks are waiting");
    }

    private static int timersAfterManyMessages(
            ManagedChannel channel, ScheduledThreadPoolExecutor thread) {
        Session session = new Session(channel, "secret", thread, IGNORE);
        for (int i = 0; i < 5000; i++) {
            session.onNext(PlayResponse.getDefaultInstance());
        }
        return thread.getQueue().size();
    }
}
