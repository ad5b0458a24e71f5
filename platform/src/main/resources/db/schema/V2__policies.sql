-- What teams want of their applications.

CREATE TABLE policies (
    name       text NOT NULL,
    version    int NOT NULL,
    team       text NOT NULL,
    yaml       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL,
    PRIMARY KEY (name, version)
);

-- Which policy is in force for an application: always the newest version of exactly one policy.
CREATE TABLE policy_applications (
    application text PRIMARY KEY,
    policy      text NOT NULL
);
