import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { RequestContext } from './request-context.ts';

/** One answered request, as metrics count it. */
interface AnsweredRequest {
  readonly method: string;
  /** Path of the endpoint as it is declared; `none` where no endpoint was found. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

interface AccessLogParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
  readonly onAnswer: (answered: AnsweredRequest) => void;
}

/** Records every answer: one line at debug level; of what the client sent it holds the method alone. */
export type AccessLog = (context: RequestContext, status: number) => void;

/** Creates the log of answers. */
export function createAccessLog({ clock, logger, onAnswer }: AccessLogParts): AccessLog {
  return (context, status) => {
    const { request, endpoint, requestId, remoteAddress, port, principal, startedAtMs } = context;
    const answered = {
      method: endpoint?.method ?? 'none',
      route: endpoint?.path ?? 'none',
      status,
      durationMs: clock.monotonicMs() - startedAtMs,
    };
    onAnswer(answered);
    logger.debug('access', {
      requestId,
      ...answered,
      httpVersion: request.httpVersion,
      remoteAddress,
      port,
      identity: principal?.identity.name,
    });
  };
}
