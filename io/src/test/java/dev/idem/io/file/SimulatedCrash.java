package dev.idem.io.file;

/** The machine died here: an error, so that no clean-up of the code under test runs on it. */
public final class SimulatedCrash extends Error {

  private static final long serialVersionUID = 1L;

  SimulatedCrash(String where) {
    super(where);
  }
}
