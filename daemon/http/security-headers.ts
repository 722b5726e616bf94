import type { IncomingMessage, ServerResponse } from 'node:http';

import helmet from 'helmet';

const setHeaders = helmet({
  // Answers are data: no browser may run, frame or embed them.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // A browser that once got this header refuses the self-signed certificate of a gateway for good.
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  // These concern pages, links and plug-ins of obsolete browsers.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/**
 * Returns the response fields that restrict what browsers do with an answer. They are the same for every answer.
 *
 * @returns names and values in turn, as `ServerResponse.writeHead` takes them
 */
export function listSecurityHeaders(): readonly string[] {
  const fields: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => fields.push(name, value),
    removeHeader: () => undefined,
  };
  setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return fields;
}
