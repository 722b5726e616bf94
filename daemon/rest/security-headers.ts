import helmet from 'helmet';

import type { Exchange } from './exchange.ts';

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

/** Sets the response fields that tell browsers what they must not do with an answer. */
export function applySecurityHeaders({ request, response }: Exchange): void {
  setHeaders(request, response, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
}
