import { createLazyCode } from './lazy-code.tsx';

/** Parts of the overview and of the frame that load when they are needed. */
export const SMALL_PARTS = createLazyCode(() => import('./small-parts.ts'));
