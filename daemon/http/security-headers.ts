import type { IncomingMessage, ServerResponse } from 'node:http';

import helmet from 'helmet';

const setHeaders = helmet({
  // Answers are data: nothing in them may be run, framed or embedded.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // A browser that once got this header refuses the self-signed certificate of a gateway for good.
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  // About pages, links and plug-ins of browsers that are long gone.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/**
 * Gives the response fields that tell browsers what they must not do with an answer.
 *
 * They are the same for every answer, so they are asked for once.
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
