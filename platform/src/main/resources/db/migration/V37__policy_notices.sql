-- What the policies in force tell which subscription of their team (notify): of their applications it gets these words only.
CREATE TABLE policy_notices (
    policy       text   NOT NULL,
    subscription text   NOT NULL,
    events       text[] NOT NULL,
    PRIMARY KEY (policy, subscription)
);
