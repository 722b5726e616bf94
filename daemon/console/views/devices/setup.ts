import { createLazyCode } from '../lazy-code.tsx';

/** Sections of the page Devices that set something up, by their links; the others show what is there. */
const SETUP_SECTIONS: ReadonlySet<string> = new Set(['add', 'browse', 'template', 'sheet', 'channels']);

/** Views of these sections: most of the code of the page. */
export const DEVICE_SETUP = createLazyCode(() => import('./setup-views.ts'));

/** True if a link opens one of these sections. */
export function isSetup([, section = '']: readonly string[]): boolean {
  return SETUP_SECTIONS.has(section);
}
