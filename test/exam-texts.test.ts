/** The quick examination, third part: definitions, results and requests that are made to do harm. */

import { testPart } from './kit/quick-exam.ts';

testPart('texts');
