-- When somebody looked after the job board last: the time of jobs counts only while there is one.
CREATE TABLE board_looks (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO board_looks DEFAULT VALUES;
