/** Delta Lake tables written by batches that may be repeated. */
package dev.idem.io.delta;
