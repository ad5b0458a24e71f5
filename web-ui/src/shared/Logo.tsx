/** A ship in its dock. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0b7285" />
      <path
        d="M6 10v11a3 3 0 0 0 3 3h14a3 3 0 0 0 3-3V10"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <path d="M10.5 14.5h11l-1.7 5.2h-7.6z" fill="#fff" />
      <path d="M16 7v7" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
    </svg>
  );
}
