export function StartPage() {
  return <h1>Start a rollout</h1>;
}
