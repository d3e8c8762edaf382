/*
 * readdir - the names of a directory, in its order, through stdio: what twenty lines do
 */
#include <dirent.h>
#include <stdio.h>

int main(int argc, char **argv)
{
        DIR *dir = opendir(argc > 1 ? argv[1] : ".");
        struct dirent *entry;

        if (!dir) {
                perror("opendir");
                return 1;
        }
        while ((entry = readdir(dir)) != NULL)
                puts(entry->d_name);
        closedir(dir);
        return fflush(stdout) != 0;
}
