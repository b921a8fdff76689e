"""The animals of the zoo, by what is wrong with them."""
