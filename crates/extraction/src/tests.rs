//! Tests of the whole reader; the rows of the tables test themselves.
