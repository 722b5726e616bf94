import { repeatsRequest } from '../pdu/response.ts';
import type { ReceivedBytes } from '../pdu/serial-framing.ts';
import type { LineRequest } from '../pdu/request.ts';

/**
 * Distinguishes the echo of a request from its response on a line configured without echo.
 *
 * The response to some writes equals the request, so only other requests show whether the line has an echo.
 */
export class EchoDetector {
  /** True if a request came back that is not its own response. */
  #sawEcho = false;
  /** True if a request was answered whose echo would have been detected. */
  #isEchoFree = false;

  /** True if an apparent response to this request may be its echo. */
  isAmbiguous(request: LineRequest): boolean {
    return !this.#isEchoFree && repeatsRequest(request);
  }

  /** Detects the echo of the request at the beginning of the received bytes and stores that the line has one. */
  detect(request: LineRequest, sent: Buffer, received: ReceivedBytes): boolean {
    if (!received.startsWith(sent)) return false;
    this.#sawEcho ||= !repeatsRequest(request);
    return this.#sawEcho;
  }

  /** Records that the request was answered. */
  recordResponse(request: LineRequest): void {
    this.#isEchoFree ||= !repeatsRequest(request);
  }
}
