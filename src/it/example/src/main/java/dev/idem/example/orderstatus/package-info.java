/** An example: the latest status of every order. */
package dev.idem.example.orderstatus;
