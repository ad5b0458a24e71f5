export function RolloutPage({ id }: { readonly id: string }) {
  return <h1>Rollout {id}</h1>;
}
