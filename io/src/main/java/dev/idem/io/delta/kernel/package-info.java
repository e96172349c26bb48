/**
 * The only package that uses Delta Kernel, its internal classes included; nothing here is public
 * API.
 */
package dev.idem.io.delta.kernel;
