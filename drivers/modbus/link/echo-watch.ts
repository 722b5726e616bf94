import { repeatsRequest } from '../pdu/answer.ts';
import type { ReceivedBytes } from '../pdu/serial-framing.ts';
import type { LineRequest } from '../pdu/request.ts';

/**
 * Tells the echo of a request from its answer, on a line that is configured without echo.
 *
 * The answer to some writes is their request once more, so only other requests show whether the line has an echo.
 */
export class EchoWatch {
  /** Whether a request came back that is not its own answer. */
  #sawEcho = false;
  /** Whether a request was answered whose echo would have been noticed. */
  #knowsNoEcho = false;

  /** Whether an apparent answer to this request may be its echo. */
  isAmbiguous(request: LineRequest): boolean {
    return !this.#knowsNoEcho && repeatsRequest(request);
  }

  /** Returns whether the bytes received begin with the echo of the request, and remembers that the line has one. */
  detect(request: LineRequest, sent: Buffer, received: ReceivedBytes): boolean {
    if (!received.startsWith(sent)) return false;
    this.#sawEcho ||= !repeatsRequest(request);
    return this.#sawEcho;
  }

  /** Records that the request was answered. */
  noteAnswer(request: LineRequest): void {
    this.#knowsNoEcho ||= !repeatsRequest(request);
  }
}
