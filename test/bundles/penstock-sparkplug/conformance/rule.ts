import type { Session } from './session.ts';

/** A rule that every recorded session keeps. */
export interface Rule {
  /** Title of its test. */
  readonly title: string;
  /** How the edge node keeps it. */
  readonly kept: string;
  /** Published identifiers, without `tck-id-`, that it shows. */
  readonly statements: readonly string[];
  /** Looks at one session. */
  check(session: Session, findings: Findings): void;
}

/** What a rule found. */
export class Findings {
  /** Number of places at which the rule was judged. */
  checked = 0;
  readonly violations: string[] = [];

  /** Counts a place, and notes its violation unless the rule holds there. */
  expect(holds: boolean, violation: string): void {
    this.checked += 1;
    if (!holds) this.violations.push(violation);
  }
}

/** Judges sessions by a rule. */
export function judge(rule: Rule, sessions: readonly Session[]): Findings {
  const findings = new Findings();
  for (const session of sessions) rule.check(session, findings);
  return findings;
}
