import { useQuery } from "@tanstack/react-query";
import { IconDatabaseExclamation } from "@tabler/icons-react";
import { recoveryQuery } from "@/api/queries";
import { useRefetchInterval } from "@/features/live";
import { AlertBanner } from "@/shared/AlertBanner";
import { Ago } from "@/shared/Times";

/** No event tells how far a recovery is. */
const OPEN_MILLIS = 3_000;

/** On every page while a store that was restored is recovered: which, since when, and what that waits for. */
export function RecoveryBanner() {
  const interval = useRefetchInterval();
  const { data } = useQuery({
    ...recoveryQuery,
    refetchInterval: (query) => (query.state.data?.recovering === true ? OPEN_MILLIS : interval),
  });
  if (data?.recovering !== true) {
    return null;
  }
  return (
    <AlertBanner icon={<IconDatabaseExclamation size={18} />}>
      <b>Recovery mode: {data.behind ?? "a store"} was restored, and no host is granted until hosts were read back.</b>
      {data.since !== undefined && (
        <>
          {" "}
          Noticed <Ago at={data.since} />.
        </>
      )}
      {data.hosts !== undefined && (
        <>
          {" "}
          {data.read ?? 0} of {data.hosts} hosts read.
        </>
      )}
      {data.waitsFor !== undefined && data.waitsFor !== "" && <> Waits for: {data.waitsFor}.</>}
    </AlertBanner>
  );
}
