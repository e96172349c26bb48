/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package dev.idem.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP proxy between clients and a database that does harm where its policy says. It forwards what
 * comes chunk by chunk, as it comes, and knows of each whether the client was executing statements
 * or committing. Closing it ends its connections and its threads, and drops what it held.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final int PATIENCE_SECONDS = 30;

  /** Where a chunk goes. */
  public enum Direction {
    /** From the client. */
    TO_SERVER,
    /** From the server. */
    TO_CLIENT
  }

  /** What a chunk is part of: for the server's, what it answers. */
  public enum Phase {
    /** Log-in, a driver's own settings and questions, and the end. */
    SESSION,
    /** Statements. */
    EXECUTE,
    /** A statement COMMIT, also under the name that a driver gave it. */
    COMMIT
  }

  /** What was done to a connection. */
  public enum Category {
    /** It was cut outside of statements. */
    SESSION,
    /** It was cut in a statement or in the answer to one. */
    EXECUTE,
    /** It was cut at a commit: the server did not get it, or the client may know of it. */
    COMMIT,
    /** It was cut when the server had applied a commit and the client had not seen that. */
    COMMIT_APPLIED_UNSEEN,
    /** A chunk was delayed. */
    DELAY,
    /** One side was told that no more comes, and none came. */
    HALF_CLOSE
  }

  /**
   * Bytes that were read at once.
   *
   * @param connection the number of the connection, from 0
   * @param direction where they go
   * @param index their number on the connection in that direction, from 0
   * @param phase what they are part of
   * @param committed whether they tell the client that its commit was done
   * @param bytes the bytes; the policy must not change them
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
  public record Chunk(
      int connection,
      Direction direction,
      int index,
      Phase phase,
      boolean committed,
      byte[] bytes) {}

  /** Decides about each chunk; called by many threads. */
  @FunctionalInterface
  public interface Policy {
    /** Returns what to do with a chunk. */
    Action decide(Chunk chunk);
  }

  /** What to do with a chunk. */
  public static final class Action {
    private static final Action FORWARD = new Action(Kind.FORWARD, 0);
    private static final Action CUT = new Action(Kind.CUT, 0);
    private static final Action FORWARD_THEN_CUT = new Action(Kind.FORWARD_THEN_CUT, 0);
    private static final Action HALF_CLOSE = new Action(Kind.HALF_CLOSE, 0);
    private static final Action HOLD = new Action(Kind.HOLD, 0);

    private enum Kind {
      FORWARD,
      DELAY,
      CUT,
      FORWARD_THEN_CUT,
      HALF_CLOSE,
      HOLD
    }

    private final Kind kind;
    private final int millis;

    private Action(Kind kind, int millis) {
      this.kind = kind;
      this.millis = millis;
    }

    /** Sends it on. */
    public static Action forward() {
      return FORWARD;
    }

    /** Sends it on after a while. */
    public static Action delay(int millis) {
      return new Action(Kind.DELAY, millis);
    }

    /** Closes both sides and sends nothing. */
    public static Action cut() {
      return CUT;
    }

    /** Sends it on, then closes both sides. */
    public static Action forwardThenCut() {
      return FORWARD_THEN_CUT;
    }

    /** Sends nothing more in this direction and says so to the receiver. */
    public static Action halfClose() {
      return HALF_CLOSE;
    }

    /** Sends it on after {@link FaultProxy#release()}. */
    public static Action hold() {
      return HOLD;
    }

    @Override
    public String toString() {
      return kind == Kind.DELAY ? kind + " " + millis + " ms" : kind.name();
    }
  }

  private final DatabaseServer server;
  private final ServerSocket accepting;
  private final Thread acceptor;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // All of these are guarded by the lock.
  private final List<Connection> connections = new ArrayList<>();
  private final Map<Category, Integer> faults = new EnumMap<>(Category.class);
  private int held;
  private int releases;
  private boolean closed;

  private volatile Policy policy;

  private FaultProxy(DatabaseServer server, Policy policy) throws IOException {
    this.server = server;
    this.policy = policy;
    this.accepting = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.acceptor = new Thread(this::accept, "fault-proxy-accept-" + port());
    acceptor.setDaemon(true);
    acceptor.start();
  }

  /** Starts a proxy before a server. */
  public static FaultProxy before(DatabaseServer server, Policy policy) {
    try {
      SqlTraffic.of(server.name());
      return new FaultProxy(server, policy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts a proxy whose faults a seed decides: one or two that end a connection and some delays of
   * at most 50 ms, among the first eight chunks each way with statements and the first three
   * commits, then none. Ten seeds in a row have, as the first fault, three times a cut in execute,
   * three times a cut before a commit reaches the server, twice one behind a commit that the server
   * applied and the client has not seen, and twice a half-close.
   */
  public static FaultProxy seeded(DatabaseServer server, long seed) {
    return before(server, new FaultSchedule(seed));
  }

  /** Returns the port that clients connect to. */
  public int port() {
    return accepting.getLocalPort();
  }

  /** Returns the URL of the server's database through the proxy. */
  public String jdbcUrl() {
    return server.jdbcUrl(port());
  }

  /** Puts another policy in place; what is held stays so. */
  public void use(Policy next) {
    policy = next;
  }

  /** Returns how often each fault was done, zeros too. */
  public Map<Category, Integer> faults() {
    lock.lock();
    try {
      Map<Category, Integer> all = new EnumMap<>(Category.class);
      for (Category category : Category.values()) {
        all.put(category, faults.getOrDefault(category, 0));
      }
      return Collections.unmodifiableMap(all);
    } finally {
      lock.unlock();
    }
  }

  /** Returns once as many chunks are held. */
  public void awaitHeld(int count) {
    lock.lock();
    try {
      long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (held < count) {
        if (left <= 0) {
          throw new IllegalStateException(
              "The proxy must hold %d chunks, but held: %d.".formatted(count, held));
        }
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while a chunk was to be held.", e);
    } finally {
      lock.unlock();
    }
  }

  /** Lets go what is held now; it arrives even if its client is gone. */
  public void release() {
    lock.lock();
    try {
      releases++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    List<Connection> open;
    lock.lock();
    try {
      closed = true;
      open = List.copyOf(connections);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      accepting.close();
      join(acceptor);
      for (Connection connection : open) {
        connection.cut();
        join(connection.toServer);
        join(connection.toClient);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the policy and the faults done, for the messages of tests. */
  @Override
  public String toString() {
    return "%s before %s, done: %s".formatted(policy, server, faults());
  }

  private static void join(Thread thread) {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while the proxy ended.", e);
    }
    if (thread.isAlive()) {
      throw new IllegalStateException("Thread must end, but lives: %s.".formatted(thread));
    }
  }

  private void accept() {
    for (int number = 0; ; number++) {
      Socket client;
      try {
        client = accepting.accept();
      } catch (IOException e) {
        // Closed, which is how this thread ends.
        return;
      }
      open(number, client);
    }
  }

  private void open(int number, Socket client) {
    Socket upstream = new Socket();
    try {
      client.setOption(StandardSocketOptions.TCP_NODELAY, true);
      upstream.setOption(StandardSocketOptions.TCP_NODELAY, true);
      upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    } catch (IOException e) {
      // The server refuses, so the client is refused.
      closeQuietly(client);
      closeQuietly(upstream);
      return;
    }
    Connection connection = new Connection(number, client, upstream);
    lock.lock();
    try {
      if (closed) {
        connection.cut();
        return;
      }
      connections.removeIf(Connection::ended);
      connections.add(connection);
      connection.toServer.start();
      connection.toClient.start();
    } finally {
      lock.unlock();
    }
  }

  private void count(Category category) {
    lock.lock();
    try {
      faults.merge(category, 1, Integer::sum);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until {@link #release()}; returns false if the proxy is closed first. */
  private boolean awaitRelease() throws InterruptedException {
    lock.lock();
    try {
      int before = releases;
      held++;
      changed.signalAll();
      while (releases == before && !closed) {
        changed.await();
      }
      held--;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Waits a while; returns false if the proxy is closed first. */
  private boolean awaitDelay(int millis) throws InterruptedException {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(millis);
      while (left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  /** A client's connection, its counterpart, and the two threads between them. */
  private final class Connection {
    private final int number;
    private final Socket client;
    private final Socket upstream;
    private final SqlTraffic traffic = SqlTraffic.of(server.name());
    private final Thread toServer;
    private final Thread toClient;
    private final AtomicInteger ends = new AtomicInteger();

    Connection(int number, Socket client, Socket upstream) {
      this.number = number;
      this.client = client;
      this.upstream = upstream;
      this.toServer = thread(Direction.TO_SERVER, client, upstream);
      this.toClient = thread(Direction.TO_CLIENT, upstream, client);
    }

    private Thread thread(Direction direction, Socket from, Socket to) {
      Thread thread =
          new Thread(
              () -> copy(direction, from, to),
              "fault-proxy-%d-%d-%s".formatted(port(), number, direction));
      thread.setDaemon(true);
      return thread;
    }

    boolean ended() {
      return !toServer.isAlive() && !toClient.isAlive();
    }

    void cut() {
      closeQuietly(client);
      closeQuietly(upstream);
    }

    private void copy(Direction direction, Socket from, Socket to) {
      byte[] buffer = new byte[CHUNK_BYTES];
      boolean dropping = false;
      try {
        for (int index = 0; ; index++) {
          int length = from.getInputStream().read(buffer);
          if (length < 0) {
            break;
          }
          if (!dropping) {
            dropping = !pass(chunk(direction, index, Arrays.copyOf(buffer, length)), to);
          }
        }
        // The end is passed on too; the other direction ends when its own side does.
        to.shutdownOutput();
      } catch (IOException e) {
        // One side is gone, so the other one goes.
        cut();
      } catch (InterruptedException e) {
        cut();
        Thread.currentThread().interrupt();
      } finally {
        if (ends.incrementAndGet() == 2) {
          cut();
        }
      }
    }

    private Chunk chunk(Direction direction, int index, byte[] bytes) {
      synchronized (traffic) {
        Phase phase = direction == Direction.TO_SERVER ? traffic.sent(bytes) : traffic.answered();
        boolean committed =
            direction == Direction.TO_CLIENT && phase == Phase.COMMIT && traffic.committed(bytes);
        return new Chunk(number, direction, index, phase, committed, bytes);
      }
    }

    /** Does what the policy says; returns false if nothing more is to go this way. */
    private boolean pass(Chunk chunk, Socket to) throws IOException, InterruptedException {
      Action action = policy.decide(chunk);
      // Counted before it is done: then the client may go on, and the test may ask.
      switch (action.kind) {
        case CUT -> count(cutAt(chunk));
        case FORWARD_THEN_CUT ->
            count(chunk.phase() == Phase.COMMIT ? Category.COMMIT : cutAt(chunk));
        case HALF_CLOSE -> count(Category.HALF_CLOSE);
        case DELAY -> count(Category.DELAY);
        case FORWARD, HOLD -> {}
      }
      boolean sends =
          switch (action.kind) {
            case FORWARD, FORWARD_THEN_CUT -> true;
            case DELAY -> awaitDelay(action.millis);
            case HOLD -> awaitRelease();
            case CUT, HALF_CLOSE -> false;
          };
      if (sends) {
        to.getOutputStream().write(chunk.bytes());
      }
      switch (action.kind) {
        case CUT, FORWARD_THEN_CUT -> {
          cut();
          return false;
        }
        case HALF_CLOSE -> to.shutdownOutput();
        case FORWARD, DELAY, HOLD -> {}
      }
      return sends;
    }

    private Category cutAt(Chunk chunk) {
      return switch (chunk.phase()) {
        case SESSION -> Category.SESSION;
        case EXECUTE -> Category.EXECUTE;
        case COMMIT -> chunk.committed() ? Category.COMMIT_APPLIED_UNSEEN : Category.COMMIT;
      };
    }
  }
}
