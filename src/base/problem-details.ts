/** The media type of an error body (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';
