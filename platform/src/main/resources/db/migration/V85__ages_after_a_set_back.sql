-- The last mark and the last event that were issued: what is written now was written after them, whatever clocks say.
CREATE FUNCTION last_mark() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT last_value FROM marks_mark_seq $$;
CREATE FUNCTION last_event() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT last_value FROM events_id_seq $$;

-- Ages are taken by the clock of the database. When that was set back, or a server took over whose clock is behind,
-- whatever was told before looks younger than it is, for as long as rows are kept. So "before" is told by marks.
CREATE TABLE clock_set_backs (
    -- Whatever was told under a lower one was told before it was noticed.
    mark       bigint PRIMARY KEY DEFAULT nextval('marks_mark_seq'),
    event      bigint      NOT NULL DEFAULT last_event(),
    -- How far the clock was seen to be, and was.
    seen       timestamptz NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Only what was told under this mark or a later one has a known age; nothing has, while the clock is not as far as
-- the board has seen it to be.
CREATE FUNCTION ages_known_from() RETURNS bigint LANGUAGE sql VOLATILE AS
$$
  SELECT CASE WHEN at > clock_timestamp() + interval '1 s' THEN 9223372036854775807
              ELSE COALESCE((SELECT max(mark) FROM clock_set_backs), 0) END
  FROM board_looks
$$;

-- The last mark when it was asked for; rows from before have none, and are as old as can be.
ALTER TABLE checks ADD COLUMN asked_mark bigint;
ALTER TABLE checks ALTER COLUMN asked_mark SET DEFAULT last_mark();
ALTER TABLE approvals ADD COLUMN asked_mark bigint;
ALTER TABLE approvals ALTER COLUMN asked_mark SET DEFAULT last_mark();
