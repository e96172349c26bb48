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

import dev.idem.testing.FaultProxy.Phase;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a client of a database is doing on one connection, told from the messages that it sends. It
 * reads the frames of a protocol, which may be cut anywhere, and the texts of statements; a driver
 * may send a text once and then only the name it gave it.
 */
abstract class SqlTraffic {
  private static final int KEPT_BYTES = 4096;

  private final ByteArrayOutputStream header = new ByteArrayOutputStream();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private int headerBytes;
  private long missing;
  private Phase phase = Phase.SESSION;
  private Phase ofChunk;

  private SqlTraffic(int headerBytes) {
    this.headerBytes = headerBytes;
  }

  /** Returns one that reads the protocol of a product. */
  static SqlTraffic of(String product) {
    return switch (product) {
      case "PostgreSQL" -> new PostgresTraffic();
      case "MariaDB" -> new MariaDbTraffic();
      default ->
          throw new IllegalArgumentException(
              "Server must be PostgreSQL or MariaDB, but was: %s.".formatted(product));
    };
  }

  /** Takes the next bytes that the client sent and returns what they are part of. */
  Phase sent(byte[] bytes) {
    ofChunk = phase;
    boolean complete = false;
    for (int at = 0; at < bytes.length; ) {
      if (header.size() < headerBytes) {
        header.write(bytes[at++]);
        if (header.size() < headerBytes) {
          continue;
        }
        missing = bodyBytes(header.toByteArray());
      }
      int taken = (int) Math.min(missing, bytes.length - at);
      body.write(bytes, at, Math.max(0, Math.min(taken, KEPT_BYTES - body.size())));
      at += taken;
      missing -= taken;
      if (missing == 0) {
        Phase found = message(header.toByteArray(), body.toByteArray());
        if (found != null) {
          // The greatest of a chunk counts: settings may come along with a statement.
          ofChunk = complete && ofChunk.compareTo(found) > 0 ? ofChunk : found;
          complete = true;
          phase = ofChunk;
        }
        header.reset();
        body.reset();
      }
    }
    return ofChunk;
  }

  /** Takes bytes the server sent; returns what they answer and forgets an answered commit. */
  Phase answered() {
    Phase was = phase;
    if (was == Phase.COMMIT) {
      phase = Phase.SESSION;
    }
    return was;
  }

  /** Returns whether the first bytes of the answer to a commit say that it was done. */
  abstract boolean committed(byte[] answer);

  abstract long bodyBytes(byte[] header);

  /** Takes a message, its body cut to the first bytes; returns null if it tells nothing. */
  abstract Phase message(byte[] header, byte[] body);

  final void headersHave(int bytes) {
    headerBytes = bytes;
  }

  static Phase phaseOf(String sql) {
    String text = sql.strip().toUpperCase(Locale.ROOT);
    if (text.startsWith("COMMIT") || text.matches("(?s).*;\\s*COMMIT\\b.*")) {
      return Phase.COMMIT;
    }
    // What drivers ask and set for themselves.
    return text.startsWith("SET ") || text.startsWith("SHOW ") || text.startsWith("SELECT @@")
        ? Phase.SESSION
        : Phase.EXECUTE;
  }

  /** A type byte and a length; the first messages have no type. */
  private static final class PostgresTraffic extends SqlTraffic {
    private static final int LENGTH_BYTES = 4;
    private static final int FIRST_VERSION = 3 << 16;
    private static final int FIRST_REQUEST = 1234 << 16;
    private static final byte[] COMMIT_TAG = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

    private final Map<String, Phase> statements = new HashMap<>();
    private final Map<String, Phase> portals = new HashMap<>();
    private boolean typed;

    PostgresTraffic() {
      super(LENGTH_BYTES);
    }

    @Override
    long bodyBytes(byte[] header) {
      return ByteBuffer.wrap(header).getInt(typed ? 1 : 0) - (long) LENGTH_BYTES;
    }

    @Override
    Phase message(byte[] header, byte[] body) {
      if (!typed) {
        int version = ByteBuffer.wrap(body).getInt();
        // Requests for encryption and to cancel come before or instead of the start.
        if (version >= FIRST_VERSION && version < FIRST_REQUEST) {
          typed = true;
          headersHave(1 + LENGTH_BYTES);
        }
        return Phase.SESSION;
      }
      String[] texts = new String(body, StandardCharsets.UTF_8).split("\0", 3);
      return switch (header[0]) {
        case 'Q' -> phaseOf(texts[0]);
        case 'P' -> {
          statements.put(texts[0], phaseOf(texts[1]));
          yield null;
        }
        case 'B' -> {
          portals.put(texts[0], statements.getOrDefault(texts[1], Phase.EXECUTE));
          yield null;
        }
        case 'E' -> portals.getOrDefault(texts[0], Phase.EXECUTE);
        // Rows of COPY and their end, and calls of functions.
        case 'd', 'c', 'f', 'F' -> Phase.EXECUTE;
        // A password and the end.
        case 'p', 'X' -> Phase.SESSION;
        default -> null;
      };
    }

    @Override
    boolean committed(byte[] answer) {
      for (int at = 0; at + COMMIT_TAG.length <= answer.length; at++) {
        int same = 0;
        while (same < COMMIT_TAG.length && answer[at + same] == COMMIT_TAG[same]) {
          same++;
        }
        if (same == COMMIT_TAG.length) {
          return true;
        }
      }
      return false;
    }
  }

  /** A length of three bytes, a number that begins at 0 with each command, and the command. */
  private static final class MariaDbTraffic extends SqlTraffic {
    private static final int HEADER_BYTES = 4;
    private static final int QUERY = 0x03;
    private static final int PING = 0x0e;
    private static final int PREPARE = 0x16;
    private static final int EXECUTE = 0x17;
    private static final int LONG_DATA = 0x18;
    private static final int BULK_EXECUTE = 0xfa;
    private static final int QUIT = 0x01;

    MariaDbTraffic() {
      super(HEADER_BYTES);
    }

    @Override
    long bodyBytes(byte[] header) {
      return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt() & 0xffffff;
    }

    @Override
    Phase message(byte[] header, byte[] body) {
      // Later packets of a command go on with it, as do a file's that the server asked for.
      if (header[HEADER_BYTES - 1] != 0 || body.length == 0) {
        return null;
      }
      return switch (body[0] & 0xff) {
        case QUERY, PREPARE ->
            phaseOf(new String(body, 1, body.length - 1, StandardCharsets.UTF_8));
        case EXECUTE, LONG_DATA, BULK_EXECUTE -> Phase.EXECUTE;
        case QUIT, PING -> Phase.SESSION;
        default -> null;
      };
    }

    @Override
    boolean committed(byte[] answer) {
      return answer.length > HEADER_BYTES && answer[HEADER_BYTES] == 0;
    }
  }
}
