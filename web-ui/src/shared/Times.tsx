import { absolute, ago, duration, useNow } from "./time";

/** How long ago; the exact moment and its zone on hover, and for machines. */
export function Ago({ at }: { readonly at: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {ago(at, now)}
    </time>
  );
}

/** The exact moment with its zone. */
export function Moment({ at }: { readonly at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{absolute(at)}</time>;
}

/** From a start to an end, or until now. */
export function Elapsed({ from, to }: { readonly from: number; readonly to?: number | undefined }) {
  return to === undefined ? <Ticking from={from} /> : <>{duration(to - from)}</>;
}

function Ticking({ from }: { readonly from: number }) {
  return <>{duration(useNow() - from)}</>;
}
