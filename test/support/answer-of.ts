import assert from 'node:assert/strict';

import type { AnswerOf, Endpoint } from '../../daemon/interface/endpoint.ts';
import { failureReport } from '../../daemon/interface/failure.ts';
import type { GenericFailureReport } from '../../daemon/interface/failure.ts';
import type { z } from '../../daemon/base/schema.ts';

interface Answer {
  /** Parsed body. */
  readonly json: unknown;
}

/** Returns the body of a successful answer, checked against the declaration of its endpoint. */
export function answerOf<E extends Endpoint>({ path, response }: E, { json }: Answer): AnswerOf<E> {
  assert.ok(response.schema !== undefined, `${path} has no body`);
  check(response.schema, json, path);
  return json as AnswerOf<E>;
}

/** Returns the body of an answer with a status from 400 on, checked against its declaration. */
export function failureOf({ json }: Answer): GenericFailureReport {
  check(failureReport, json, 'a failure');
  return json as GenericFailureReport;
}

function check(schema: z.ZodType, json: unknown, name: string): void {
  const { error } = schema.safeParse(json);
  assert.equal(error, undefined, `${name}: ${error?.message} in ${JSON.stringify(json)?.slice(0, 500)}`);
}
