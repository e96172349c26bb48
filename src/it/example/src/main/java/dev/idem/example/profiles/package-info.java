/** An example: profiles of customers, from updates that carry a part of them. */
package dev.idem.example.profiles;
