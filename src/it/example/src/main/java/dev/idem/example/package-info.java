/** The README's example. */
package dev.idem.example;
