-- A database that was restored has given numbers before that its rows know nothing of, and readers have seen them: it goes on
-- behind all of them. No event ever has a number above "before" up to "after".
CREATE TABLE event_leaps (
    after  bigint PRIMARY KEY,
    before bigint NOT NULL CHECK (before < after)
);

-- How many numbers were given up to this one.
CREATE FUNCTION event_place(number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT event_place.number - COALESCE(sum(l.after - l.before), 0)::bigint FROM event_leaps l WHERE l.after < event_place.number
$$;
