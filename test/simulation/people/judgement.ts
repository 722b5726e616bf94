import type { PeopleWorld } from './people-world.ts';
import type { Asked } from './rest-client.ts';

/** What a request may be answered with. */
export interface Expected {
  readonly who: string;
  /** For the story of a failure. */
  readonly what: string;
  readonly statuses: readonly number[];
}

/** Checks a status against those that are possible. */
export function judge(world: PeopleWorld, asked: Asked, { who, what, statuses }: Expected): void {
  const { status, body } = asked.answer;
  if (statuses.includes(status)) return;
  // A gateway that stops may refuse what it has not begun.
  if (status === 503 && world.gateway.isStopping()) return;
  const text = `${who}: ${what} is answered with ${status} ${status < 400 ? '' : body}, not ${statuses.join(' or ')}`;
  const mayPass = statuses.some((expected) => expected < 400);
  // Whoever has no right was let in as well.
  const isLetIn = status < 400 || (status === 403 && statuses.every((expected) => expected === 401));
  if (isLetIn && !mayPass) world.chronicle.break('access-ended', text);
  else if (status >= 400 && mayPass) world.chronicle.break('access-kept', text);
  else world.chronicle.break('answer-shape', text);
}

/** Returns each of the statuses once. */
export function unique(statuses: readonly number[]): readonly number[] {
  return [...new Set(statuses)];
}
