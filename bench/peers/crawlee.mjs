// Not TypeScript: the types are there only when the package is.
export { BasicCrawler, Configuration, log, RequestList } from '@crawlee/basic';
