/** An example: what is in stock, by warehouse and article. */
package dev.idem.example.inventory;
