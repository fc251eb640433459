/* Preloaded by tests with a leak sanitizer: libraries stay loaded, so that what they leak has a name to be left out by.
 */
int dlclose(void *handle);

int dlclose(void *handle) {
    (void)handle;
    return 0;
}
