/**
 * Tests of the durable files, and the recorder and simulated power loss for tests of other
 * packages.
 */
package dev.idem.io.file;
