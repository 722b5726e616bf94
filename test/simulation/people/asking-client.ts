import type { Answer } from '../http/answer-parser.ts';
import type { RestRequest } from '../http/rest-connection.ts';

/** Asks one thing after the other, over connections that it opens again when they have ended. */
export interface AskingClient {
  /** Undefined: there is no gateway, or the connection ended before the answer. */
  ask(request: RestRequest): Promise<Answer | undefined>;
  close(): void;
}
