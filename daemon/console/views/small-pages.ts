/** Pages with little code: one file for all costs a slow link less than the head of a request for each. */
export { AccessPage } from './access/access-page.tsx';
export { NorthPage } from './north/north-page.tsx';
export { SoftwarePage } from './software/software-page.tsx';
