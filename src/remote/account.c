/* No state: what expires is read again from the start, so that a rotated key is found wherever it came from. */
#include "remote/account.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "remote/profile.h"
#include "remote/url.h"

#define ACCOUNT_INSTANCE "http://169.254.169.254"
#define ACCOUNT_CONTAINER "http://169.254.170.2"
#define ACCOUNT_TOKEN_SECONDS "X-aws-ec2-metadata-token-ttl-seconds: 21600\n"
#define ACCOUNT_INSTANCE_PATH "/latest/meta-data/iam/security-credentials/"

static void account_forget(char **text)
{
        if (*text)
                explicit_bzero(*text, strlen(*text));
        free(*text);
        *text = NULL;
}

void lsr_account_end(struct lsr_account *account)
{
        account_forget(&account->key_id);
        account_forget(&account->secret);
        account_forget(&account->token);
        account_forget(&account->region);
        account_forget(&account->endpoint);
}

static int account_fail(struct lsr_account *account, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int account_fail(struct lsr_account *account, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        vsnprintf(account->text, sizeof(account->text), format, args);
        va_end(args);
        return -EINVAL;
}

/* What the environment says, not empty; NULL else. */
static const char *account_env(const char *name)
{
        const char *value = getenv(name);

        return value && *value ? value : NULL;
}

static bool account_env_true(const char *name)
{
        const char *value = account_env(name);

        return value && strcasecmp(value, "true") == 0;
}

/* The file that @variable names, or @name in ~/.aws.  NULL: there is no home. */
static char *account_file(const char *variable, const char *name)
{
        const char *path = account_env(variable), *home = account_env("HOME");
        char *result;

        if (path)
                return strdup(path);
        return home && asprintf(&result, "%s/.aws/%s", home, name) >= 0 ? result : NULL;
}

/* A text of a profile: of the credentials if it is there, else of config.  NULL: neither has it. */
static char *account_profile_text(const char *profile, const char *key)
{
        lsr_autofree char *credentials = account_file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        lsr_autofree char *config = account_file("AWS_CONFIG_FILE", "config");
        lsr_autofree char *section = NULL;
        char *value;

        if (credentials && lsr_profile_value(credentials, profile, key, &value) == 0)
                return value;
        if (config && strcmp(profile, "default") == 0 && lsr_profile_value(config, profile, key, &value) == 0)
                return value;
        if (asprintf(&section, "profile %s", profile) < 0)
                return section = NULL;
        return config && lsr_profile_value(config, section, key, &value) == 0 ? value : NULL;
}

/* The value of a text of a flat JSON object; NULL: none. */
static char *account_json_text(const char *json, const char *name)
{
        lsr_autofree char *quoted = NULL;
        const char *p;
        char *result, *to;

        if (asprintf(&quoted, "\"%s\"", name) < 0)
                return quoted = NULL;
        p = strstr(json, quoted);
        if (!p)
                return NULL;
        p += strlen(quoted);
        p += strspn(p, " \t\r\n:");
        if (*p++ != '"')
                return NULL;
        to = result = malloc(strlen(p) + 1);
        if (!result)
                return NULL;
        for (; *p && *p != '"'; p++) {
                unsigned code = 0;

                if (*p == '\\' && p[1] == 'u' && sscanf(p + 2, "%4x", &code) == 1 && code < 0x80 && strlen(p) > 5)
                        p += 5;
                else if (*p == '\\' && p[1])
                        p++;
                *to++ = code ? (char)code : *p;
        }
        *to = '\0';
        return result;
}

/* Credentials as the container and the instance tell them. */
static int account_json(struct lsr_account *account, const char *json)
{
        lsr_autofree char *expires = account_json_text(json, "Expiration");
        struct tm tm = { 0 };

        account->key_id = account_json_text(json, "AccessKeyId");
        account->secret = account_json_text(json, "SecretAccessKey");
        account->token = account_json_text(json, "Token");
        if (!account->key_id || !account->secret) {
                account_forget(&account->key_id);
                return account_fail(account, "the metadata service answers without credentials");
        }
        if (expires && strptime(expires, "%Y-%m-%dT%H:%M:%S", &tm))
                account->expires = timegm(&tm);
        return 0;
}

static int account_from_profile(struct lsr_account *account, const char *profile, bool named)
{
        static const char *const others[] = {
                "role_arn",     "sso_session", "sso_start_url", "credential_process", "web_identity_token_file",
                "login_session"
        };
        lsr_autofree char *there = account_profile_text(profile, NULL);

        if (!there && named)
                return account_fail(account, "there is no profile '%s', which AWS_PROFILE names", profile);
        account->key_id = account_profile_text(profile, "aws_access_key_id");
        account->secret = account_profile_text(profile, "aws_secret_access_key");
        account->token = account_profile_text(profile, "aws_session_token");
        if (account->key_id && account->secret)
                return 0;
        account_forget(&account->key_id);
        account_forget(&account->secret);
        account_forget(&account->token);
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
                lsr_autofree char *value = account_profile_text(profile, others[i]);

                if (value)
                        return account_fail(
                                account,
                                "the profile '%s' has %s, which is not supported; run: eval \"$(aws configure "
                                "export-credentials --profile %s --format env)\"",
                                profile, others[i], profile);
        }
        return 0;
}

/* A credential for a header: what a file holds, to its first line's end. */
static char *account_first_line(const char *path)
{
        FILE *f = fopen(path, "re");
        char *line = NULL;
        size_t size = 0;

        if (!f)
                return NULL;
        /* Where there is no line, there may be a buffer that nobody has written to. */
        if (getline(&line, &size, f) < 0)
                free(lsr_take(&line, NULL));
        else
                line[strcspn(line, "\r\n")] = '\0';
        fclose(f);
        return line;
}

/* Credentials go in the clear only to this machine and to the addresses of the container service. */
static bool account_container_allowed(const char *url)
{
        static const char *const hosts[] = { "localhost",     "127.0.0.1",      "[::1]",
                                             "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]" };
        struct lsr_url parts;

        if (lsr_url_parse(url, &parts) < 0 || parts.scheme == LSR_URL_S3)
                return false;
        for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
                size_t n = strlen(hosts[i]);

                if (parts.host.n >= n && memcmp(parts.host.p, hosts[i], n) == 0 &&
                    (parts.host.n == n || parts.host.p[n] == ':'))
                        return true;
        }
        return parts.scheme == LSR_URL_HTTPS;
}

static int account_from_container(struct lsr_account *account, lsr_account_fetch *fetch, void *ctx)
{
        const char *relative = account_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        const char *full = account_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");
        const char *file = account_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        const char *token = account_env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
        lsr_autofree char *url = NULL, *headers = NULL, *body = NULL, *line = file ? account_first_line(file) : NULL;
        int r;

        if (!relative && !full)
                return 0;
        token = line ? line : token;
        if (asprintf(&url, "%s%s", relative ? ACCOUNT_CONTAINER : "", relative ? relative : full) < 0)
                return url = NULL, -ENOMEM;
        if (asprintf(&headers, "%s%s%s", token ? "Authorization: " : "", token ? token : "", token ? "\n" : "") < 0)
                return headers = NULL, -ENOMEM;
        if (!account_container_allowed(url))
                return account_fail(account, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor of this machine");
        if (token && strpbrk(token, "\r\n"))
                return account_fail(account, "AWS_CONTAINER_AUTHORIZATION_TOKEN has a line break");
        r = fetch(ctx, "GET", url, headers, &body);
        if (r < 0)
                return account_fail(account, "the container's credentials cannot be had: %s", strerror(-r));
        return account_json(account, body);
}

/* Where there is no such service, nothing is signed. */
static int account_from_instance(struct lsr_account *account, lsr_account_fetch *fetch, void *ctx)
{
        const char *base = account_env("AWS_EC2_METADATA_SERVICE_ENDPOINT");
        lsr_autofree char *url = NULL, *token = NULL, *headers = NULL, *role = NULL, *body = NULL;
        size_t n;

        if (account_env_true("AWS_EC2_METADATA_DISABLED"))
                return 0;
        base = base ? base : ACCOUNT_INSTANCE;
        n = strlen(base) - (base[strlen(base) - 1] == '/');
        if (asprintf(&url, "%.*s/latest/api/token", (int)n, base) < 0)
                return url = NULL, -ENOMEM;
        if (fetch(ctx, "PUT", url, ACCOUNT_TOKEN_SECONDS, &token) < 0 || !*token || strpbrk(token, "\r\n"))
                return 0;
        if (asprintf(&headers, "X-aws-ec2-metadata-token: %s\n", token) < 0)
                return headers = NULL, -ENOMEM;
        free(url);
        if (asprintf(&url, "%.*s" ACCOUNT_INSTANCE_PATH, (int)n, base) < 0)
                return url = NULL, -ENOMEM;
        if (fetch(ctx, "GET", url, headers, &role) < 0)
                return 0; /* an instance without a role */
        role[strcspn(role, "\r\n")] = '\0';
        free(url);
        if (asprintf(&url, "%.*s" ACCOUNT_INSTANCE_PATH "%s", (int)n, base, role) < 0)
                return url = NULL, -ENOMEM;
        if (fetch(ctx, "GET", url, headers, &body) < 0)
                return account_fail(account, "the instance does not give the credentials of its role");
        return account_json(account, body);
}

static char *account_copy(const char *text)
{
        return text ? strdup(text) : NULL;
}

static int account_credentials(struct lsr_account *account, const char *profile, bool named, lsr_account_fetch *fetch,
                               void *ctx)
{
        int r = 0;

        if (account_env("AWS_ACCESS_KEY_ID") && account_env("AWS_SECRET_ACCESS_KEY")) {
                account->key_id = account_copy(account_env("AWS_ACCESS_KEY_ID"));
                account->secret = account_copy(account_env("AWS_SECRET_ACCESS_KEY"));
                account->token = account_copy(account_env("AWS_SESSION_TOKEN"));
                return account->key_id && account->secret ? 0 : -ENOMEM;
        }
        r = account_from_profile(account, profile, named);
        if (r == 0 && !account->key_id)
                r = account_from_container(account, fetch, ctx);
        if (r == 0 && !account->key_id)
                r = account_from_instance(account, fetch, ctx);
        return r;
}

int lsr_account_read(struct lsr_account *account, lsr_account_fetch *fetch, void *ctx)
{
        const char *profile = account_env("AWS_PROFILE"), *endpoint, *region;
        bool ignored = account_env_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
        struct lsr_url url;
        int r;

        *account = (struct lsr_account){ 0 };
        r = account_credentials(account, profile ? profile : "default", !!profile, fetch, ctx);
        if (r < 0)
                return r;
        profile = profile ? profile : "default";
        endpoint = account_env("AWS_ENDPOINT_URL_S3");
        endpoint = endpoint ? endpoint : account_env("AWS_ENDPOINT_URL");
        account->endpoint = ignored    ? NULL
                            : endpoint ? strdup(endpoint)
                                       : account_profile_text(profile, "endpoint_url");
        region = account_env("AWS_REGION");
        region = region ? region : account_env("AWS_DEFAULT_REGION");
        account->region = region ? strdup(region) : account_profile_text(profile, "region");
        if (!account->region)
                account->region = strdup("us-east-1");
        if (!account->region)
                return -ENOMEM;
        if (!*account->region || account->region[strspn(account->region, "abcdefghijklmnopqrstuvwxyz"
                                                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")])
                return account_fail(account, "the region has other characters than letters, digits and '-'");
        if (account->endpoint &&
            (lsr_url_parse(account->endpoint, &url) < 0 || url.scheme == LSR_URL_S3 || url.query.p || url.user.p))
                return account_fail(account, "the endpoint of the store is not a URL of http or https");
        return 0;
}

char *lsr_account_url(const struct lsr_account *account, const char *bucket, const char *key)
{
        lsr_autofree char *escaped = malloc(3 * strlen(key) + 1);
        const char *china = strncmp(account->region, "cn-", 3) == 0 ? ".cn" : "";
        char *result;
        int r;

        if (!escaped)
                return NULL;
        lsr_url_escape(escaped, key, strlen(key), "/");
        if (account->endpoint) {
                size_t n = strlen(account->endpoint);

                n -= account->endpoint[n - 1] == '/';
                r = asprintf(&result, "%.*s/%s/%s", (int)n, account->endpoint, bucket, escaped);
        } else if (strchr(bucket, '.')) {
                r = asprintf(&result, "https://s3.%s.amazonaws.com%s/%s/%s", account->region, china, bucket, escaped);
        } else {
                r = asprintf(&result, "https://%s.s3.%s.amazonaws.com%s/%s", bucket, account->region, china, escaped);
        }
        return r < 0 ? NULL : result;
}
