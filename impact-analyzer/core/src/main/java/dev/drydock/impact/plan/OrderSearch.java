package dev.drydock.impact.plan;

/**
 * Finds an order whose schedule is short. Implementations are deterministic but for when the budget
 * ends, and never answer a schedule that breaks a limit.
 */
interface OrderSearch {
  Schedule search(PlanProblem planProblem, Bound bound, SearchBudget searchBudget);
}
